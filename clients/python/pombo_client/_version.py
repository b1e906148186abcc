"""Generated from clients/node/package.json by `npm run clients`."""

VERSION = "0.1.0"
