/** The routes of most tests: the default route retries quickly, and some sender ids have their own route. */

const simulator = { channel: 'sms', providers: ['simulator'] }

export const QUICK = {
  routes: [
    { id: 'quick', ...simulator, retry: { delays_seconds: [0.1] } },
    { id: 'once', sender: 'Once', ...simulator, retry: { max_attempts: 1 } },
    { id: 'much-later', sender: 'MuchLater', ...simulator, retry: { delays_seconds: [900] } },
    { id: 'patient', sender: 'Patient', ...simulator, retry: { delays_seconds: [1] } },
    { id: 'asking', sender: 'Asking', ...simulator, unknown: { wait_seconds: 0 } },
  ],
}
