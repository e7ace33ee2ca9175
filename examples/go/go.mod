module example.com/newtfold

go 1.23
