module example.com/shtidy

go 1.24
