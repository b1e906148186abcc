/** Texts of the page: audit log. */
import { plural } from './plural.ts'

export const AUDIT_LOG_TEXTS = {
  about:
    'Every change of the set-up and every access to what messages say, newest first. Exports contain all entries that match the filters.',
  notAllowed: 'Only administrators can see the audit log.',
  none: 'Nothing has been recorded yet.',
  noneFound: 'No entries match these filters.',
  columns: { at: 'Time', actor: 'Who', action: 'Action', target: 'Target', address: 'Address', tenant: 'Tenant' },
  actions: 'Details',
  actorKinds: {
    user: 'User',
    api_key: 'API key',
    token: 'Token',
    anonymous: 'Not signed in',
  } as Readonly<Record<string, string>>,
  details: 'Details',
  detailsOf: (action: string, target: string): string => `Details of ${action}, ${target}`,
  facts: {
    actor: 'Who',
    actorId: 'Who (ID)',
    actorTenant: 'Who (tenant)',
    target: 'Target',
    address: 'Address',
    request: 'Request ID',
  },
  onlyActor: (name: string): string => `Only entries of ${name}`,
  onlyTarget: (id: string): string => `Only entries about ${id}`,
  changes: {
    field: 'Field',
    before: 'Before',
    after: 'After',
    empty: 'none',
    none: 'No values were recorded for this action.',
    showUnchanged: (count: number): string => `Show ${plural(count, 'unchanged field')}`,
    hideUnchanged: 'Hide unchanged fields',
  },
  filters: {
    label: 'Filters',
    action: 'Action',
    actor: 'Who (ID)',
    target: 'Target',
    tenant_id: 'Tenant',
    from: 'From',
    to: 'Until',
    hints: { actor: 'ID or subject', target: 'orders', tenant_id: 'all tenants' },
    clear: 'Clear filters',
  },
  exportAs: { csv: 'Export as CSV', ndjson: 'Export as NDJSON' },
} as const
