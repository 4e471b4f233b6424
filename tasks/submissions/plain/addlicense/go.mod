module stamphead

go 1.24
