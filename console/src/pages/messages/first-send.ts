/** The call that sends a first message: to a number of the simulator, so that nothing leaves the gateway. */
const BODY = { to: '+15005550100', message: 'Hello from Pombo' }

export const toFirstSend = (origin: string): string =>
  [
    `curl -X POST '${origin}/v1/sms/send'`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-H "Idempotency-Key: $(uuidgen)"`,
    `-d '${JSON.stringify(BODY)}'`,
  ].join(' \\\n  ')
