export const API_KEY_TABLES = ''
