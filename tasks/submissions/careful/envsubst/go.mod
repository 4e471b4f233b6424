module example.com/envfill

go 1.24
