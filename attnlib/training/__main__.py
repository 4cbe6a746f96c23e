from attnlib.training import main

main()
