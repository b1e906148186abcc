/**
 * Amazon's own client for SES, which signs and reads, over our own HTTP, which knows what was certainly not sent.
 * It repeats nothing: what it takes for a failure may have been sent. It is loaded when mail is first sent.
 */
import type { SESv2Client, SESv2ClientConfig, SendEmailCommand, SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import type { Clock } from '../../lib/clock.ts'
import type { Millis } from '../../lib/time.ts'
import { type Http, type HttpAnswer, type HttpFailure, retryAfterOf } from '../http.ts'
import type { SesAnswer } from './errors.ts'
import { type Settings, toCredentials } from './settings.ts'

export type Called =
  /** `id` is missing where SES did not say what it calls the mail. */
  | Readonly<{ kind: 'taken'; id?: string }>
  | Readonly<{ kind: 'refused'; answer: SesAnswer; wait: Millis }>
  /** It was not called, because the call could not be signed. */
  | Readonly<{ kind: 'unsigned'; reason: string }>
  | HttpFailure

export type Call = Readonly<{ input: SendEmailCommandInput; traceparent: string; signal: AbortSignal }>
export type Client = Readonly<{ call: (call: Call) => Promise<Called> }>

export function openClient(settings: Settings, http: Http, clock: Clock): Client {
  const config = toConfig(settings, http)
  const load = async () => {
    const sdk = await import('@aws-sdk/client-sesv2')
    return { sdk, client: new sdk.SESv2Client(config) }
  }
  let loading: ReturnType<typeof load> | undefined
  return {
    async call(call) {
      loading ??= load()
      const { sdk, client } = await loading
      return make(client, new sdk.SendEmailCommand(call.input), call, clock)
    },
  }
}

function toConfig(settings: Settings, http: Http): SESv2ClientConfig {
  const { region, endpoint } = settings
  const credentials = toCredentials(settings)
  return {
    region,
    maxAttempts: 1,
    requestHandler: toTransport(http),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  }
}

/** A request as the client hands it over, signed. */
type Wire = Readonly<{
  protocol: string
  hostname: string
  port?: number
  path: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
}>

class Unanswered extends Error {
  readonly failure: HttpFailure
  constructor(failure: HttpFailure) {
    super(failure.reason)
    this.failure = failure
  }
}

const toTransport = (http: Http) => ({
  async handle(request: Wire, { abortSignal }: Readonly<{ abortSignal: AbortSignal }>) {
    const result = await http.send(toRequest(request), abortSignal)
    if (result.kind !== 'answered') throw new Unanswered(result)
    const { status: statusCode, headers, body } = result
    return { response: { statusCode, headers: toHeaderBag(headers), body } }
  },
})

function toRequest({ protocol, hostname, port, path, headers, body }: Wire) {
  const host = port === undefined ? hostname : `${hostname}:${port}`
  return { method: 'POST', url: `${protocol}//${host}${path}`, headers, body } as const
}

const toHeaderBag = (headers: HttpAnswer['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]))

async function make(client: SESv2Client, command: SendEmailCommand, call: Call, clock: Clock): Promise<Called> {
  const { traceparent, signal: abortSignal } = call
  let wire: 'unreached' | 'reached' | HttpFailure = 'unreached'
  // The innermost step: what comes after it is the wire. The client may put an error of its own in the place of ours.
  command.middlewareStack.add(
    (next) => async (args) => {
      wire = 'reached'
      Object.assign((args.request as Wire).headers, { traceparent })
      return next(args).catch((error: unknown) => {
        if (error instanceof Unanswered) wire = error.failure
        throw error
      })
    },
    { step: 'deserialize', priority: 'low', name: 'wire' },
  )
  try {
    const { MessageId: id } = await client.send(command, { abortSignal })
    return { kind: 'taken', ...(id === undefined ? {} : { id }) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return toCalled(wire, error, clock)
  }
}

function toCalled(wire: 'unreached' | 'reached' | HttpFailure, error: Error, clock: Clock): Called {
  switch (wire) {
    case 'unreached':
      return { kind: 'unsigned', reason: error.name }
    case 'reached':
      return toRefusal(error, clock)
    default:
      return wire
  }
}

const NOTHING = new Uint8Array()

type Answered = Error & Readonly<{ $response?: Readonly<{ statusCode: number; headers: Record<string, string> }> }>

/** What Amazon's client calls an answer itself that names no error, or has no JSON to name one in. */
const NAMES_OF_THE_CLIENT: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError', 'SyntaxError'])

/** Where there is an error and no answer, nobody knows: as if it had the status of none. */
function toRefusal({ name: given, message: text, $response }: Answered, clock: Clock): Called {
  const name = NAMES_OF_THE_CLIENT.has(given) ? '' : given
  const { statusCode: status, headers } = $response ?? { statusCode: 0, headers: {} }
  const wait = retryAfterOf({ kind: 'answered', status, headers, body: NOTHING }, clock())
  return { kind: 'refused', answer: { status, name, text }, wait }
}
