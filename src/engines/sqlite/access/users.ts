export const USER_TABLES = ''
