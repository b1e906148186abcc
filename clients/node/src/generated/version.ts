// Generated from package.json by `npm run clients`.
export const VERSION = '0.1.0'
