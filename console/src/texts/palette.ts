/** Texts of the command palette. */
import { plural } from './plural.ts'

export const PALETTE_TEXTS = {
  title: 'Command palette',
  hint: 'Search messages, pages and actions',
  results: 'Results',
  groups: {
    recent: 'Recent searches',
    actions: 'Actions',
    pages: 'Pages',
    messages: 'Messages',
    templates: 'Templates',
    recipients: 'Recipients',
    providers: 'Providers',
    endpoints: 'Webhook endpoints',
  },
  actions: {
    send: 'Send a message',
    apiKey: 'Create an API key',
    endpoint: 'Add a webhook endpoint',
    smsTemplate: 'Create an SMS template',
    emailTemplate: 'Create an email template',
    light: 'Switch to the light theme',
    dark: 'Switch to the dark theme',
    reference: 'Open the API reference',
    keys: 'Show keyboard shortcuts',
    signOut: 'Sign out',
  },
  /** Other words by which an action is found. */
  words: {
    send: 'new sms email compose test',
    apiKey: 'new token credentials secret',
    endpoint: 'new webhooks url events',
    template: 'new text',
    theme: 'toggle mode appearance colours',
    reference: 'docs documentation openapi',
    keys: 'help hotkeys',
    signOut: 'log out leave',
  },
  allMessages: (text: string): string => `Search all messages for “${text}”`,
  openMessage: (id: string): string => `Open message ${id}`,
  looking: 'Searching…',
  nothing: (text: string): string => `Nothing found for “${text}”.`,
  failed: 'The search failed. Check your connection and try again.',
  count: (count: number): string => plural(count, 'result'),
  keys: { move: 'to move', open: 'to open', close: 'to close' },
} as const
