"""python -m paddock"""

from paddock.cli import main

if __name__ == "__main__":
    main()
