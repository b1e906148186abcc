/** Texts of all charts. */
export const CHART_TEXTS = {
  asTable: 'View as table',
  tableOf: (title: string): string => `${title} as a table`,
  time: 'Time',
  total: 'Total',
  nothing: '–',
  keys: 'Read its values with the arrow keys.',
} as const
