"""Print the OpenAPI document of the server without starting one, for `npm run schema` in web/."""

import json
import sys

from paddock.server.api.app import bare_app


def main() -> int:
    json.dump(bare_app().openapi(), sys.stdout, indent=2, sort_keys=True)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
