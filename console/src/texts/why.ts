/** Texts of the panel that explains a message. The sentences themselves are the gateway's. */
export const WHY_TEXTS = {
  title: 'Why?',
  now: 'now',
  next: 'Next',
  actions: 'What you can do',
  scope: (scope: string): string => `You lack the scope ${scope}.`,
}
