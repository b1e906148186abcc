/** Requests and a report as the documentation shows them. */
export const PREFLIGHT_REQUESTS = [
  { to: '+5511987654321', message: 'Your parcel is on its way.', sender_id: 'Acme', idempotency_key: 'order-1138-sms' },
  { channel: 'email', to: 'ana@example.com', subject: 'Your parcel', html: '<p>Your parcel is on its way.</p>' },
  { kind: 'otp', to: '+5511987654321', app_name: 'Acme' },
]

export const PREFLIGHT_EXAMPLE = {
  valid: true,
  problems: [],
  warnings: [],
  recipient: { kind: 'phone', country: 'BR', number_type: 'mobile', suppressed: false, recipient_id: null },
  sms: { encoding: 'gsm7', segments: 1, units: 26, characters_forcing_ucs2: [] },
  email: null,
  limits: [
    {
      scope: 'recipient',
      key: '+*******4321',
      set_by: 'tenant',
      limit: 5,
      window_seconds: 3600,
      used: 1,
      remaining: 4,
      resets_at: '2030-01-31T12:48:00.000Z',
      would_refuse: false,
    },
  ],
  quotas: [
    { quota: 'waiting_messages', limit: 1_000_000, used: 12, would_refuse: false },
    { quota: 'stored_bytes', limit: null, used: 48_214_016, would_refuse: false },
  ],
  sender: { allowed: true, reason: null },
  route: {
    id: 'brazil',
    reasons: ['its prefix +55 matches', 'default: shorter prefix than the chosen route'],
    providers: [
      {
        name: 'twilio',
        up: true,
        breaker_state: 'closed',
        reason: 'first available provider',
        open_since: null,
        retry_at: null,
        paused_until: null,
      },
    ],
  },
  queue: { lane: 'transactional', ready: 0, delayed: 2, parked: 0, taken: 1 },
  idempotency: { status: 'new', message_id: null },
  would_send: {
    accepted: true,
    refusal: null,
    at: '2030-01-31T12:00:00.000Z',
    provider: 'twilio',
    text: 'Pombo would accept the message and send it by twilio at once.',
  },
}
