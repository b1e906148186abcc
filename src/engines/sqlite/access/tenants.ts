export const TENANT_TABLES = ''
