/** The configuration of the demo gateway: four simulated providers, one of them shaky, and their routes. */
export const SHAKY = 'coast'

/** The configuration file. */
export const CONFIG = {
  providers: [
    { name: 'north', kind: 'simulator', settings: { latency_ms: 40, receipt_delay_ms: 700 } },
    { name: 'south', kind: 'simulator', settings: { latency_ms: 120, receipt_delay_ms: 900, error_rate: 0.05 } },
    { name: SHAKY, kind: 'simulator', settings: { latency_ms: 150, receipt_delay_ms: 900, error_rate: 0.6 } },
    { name: 'post', kind: 'simulator', settings: { latency_ms: 90, receipt_delay_ms: 900 } },
  ],
  routes: [
    {
      id: 'sms',
      channel: 'sms',
      providers: [
        { name: 'north', weight: 3 },
        { name: 'south', weight: 1 },
      ],
      retry: { delays_seconds: [1, 2, 4], max_attempts: 4, jitter: 0.2 },
      unknown: { wait_seconds: 8, policy: 'hold' },
    },
    {
      id: 'mail',
      channel: 'email',
      providers: [
        { name: 'post', weight: 5 },
        { name: 'south', weight: 1 },
      ],
      retry: { delays_seconds: [1, 2, 4], max_attempts: 4, jitter: 0.2 },
      unknown: { wait_seconds: 8, policy: 'hold' },
    },
  ],
} as const

/** Defaults of the demo: webhooks go to a receiver on this machine; breakers close soon enough to be seen. */
export const SETTINGS = {
  POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8',
  POMBO_BREAKER_SECONDS: '15',
  POMBO_LOG_LEVEL: 'warn',
} as const
