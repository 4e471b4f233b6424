module shtidy

go 1.24
