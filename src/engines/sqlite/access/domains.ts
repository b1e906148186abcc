export const DOMAIN_TABLES = ''
