module example.com/stamphead

go 1.24
