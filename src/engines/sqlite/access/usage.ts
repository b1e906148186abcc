export const USAGE_TABLES = ''
