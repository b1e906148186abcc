/**
 * The certificates that SNS signs with. They are fetched from SNS alone, by its name in the region of the topic and
 * over TLS, which is all that makes them worth anything; each is kept for a while, and none that could not be had.
 */
import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Http, sentenceOf } from '../http.ts'

/** What is at an address of SNS; undefined where it has nothing there. Throws `Unavailable` when it does not say. */
export type Get = (url: string) => Promise<string | undefined>

/** SNS waits for our own answer no longer than 15 seconds. */
const PATIENCE = seconds(5)

export const getter =
  (http: Http): Get =>
  async (url) => {
    const result = await http.send({ method: 'GET', url }, AbortSignal.timeout(PATIENCE))
    if (result.kind !== 'answered') throw new Unavailable(`SNS was asked in vain: ${sentenceOf(result.reason)}`)
    if (result.status === 429 || result.status >= 500) throw new Unavailable(`SNS answered ${result.status}`)
    return result.status === 200 ? Buffer.from(result.body).toString() : undefined
  }

/** Where SNS itself is for a topic. Others may have names much like it: `sns.s3-us-west-2` is a bucket of whoever came first. */
function originOf(topic: string): string {
  const [, partition = '', , region = ''] = topic.split(':')
  return `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
}

/** An address of the SNS that a topic is of; undefined for any other. */
export function parseSnsUrl(text: string, topic: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.origin !== originOf(topic)) return undefined
  return url.username === '' && url.password === '' ? url : undefined
}

const CERTIFICATE = /^\/SimpleNotificationService-[0-9a-f]+\.pem$/i

const MOST = 16
const KEPT_FOR = seconds(24 * 60 * 60)

type Deps = Readonly<{ get: Get; clock: Clock }>
type Kept = Readonly<{ until: Instant; certificate: Promise<X509Certificate | undefined> }>

export class Certificates {
  readonly #deps: Deps
  readonly #kept = new Map<string, Kept>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The certificate at this address; undefined where it is none that SNS signs with now what is of the topic. */
  async of(text: string, topic: string): Promise<X509Certificate | undefined> {
    const url = parseSnsUrl(text, topic)
    if (url === undefined || !CERTIFICATE.test(url.pathname) || url.search + url.hash !== '') return undefined
    const certificate = await this.#have(url.href)
    return certificate !== undefined && isValidAt(certificate, this.#deps.clock()) ? certificate : undefined
  }

  async #have(url: string): Promise<X509Certificate | undefined> {
    const now = this.#deps.clock()
    const kept = this.#kept.get(url)
    if (kept !== undefined && now < kept.until) return kept.certificate
    const fetched: Kept = { until: later(now, KEPT_FOR), certificate: this.#deps.get(url).then(parseCertificate) }
    this.#keep(url, fetched)
    try {
      const certificate = await fetched.certificate
      if (certificate === undefined) this.#forget(url, fetched)
      return certificate
    } catch (error) {
      this.#forget(url, fetched)
      throw error
    }
  }

  #keep(url: string, one: Kept): void {
    this.#kept.delete(url)
    this.#kept.set(url, one)
    const [oldest = ''] = this.#kept.keys()
    if (this.#kept.size > MOST) this.#kept.delete(oldest)
  }

  #forget(url: string, one: Kept): void {
    if (this.#kept.get(url) === one) this.#kept.delete(url)
  }
}

function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, at: Instant): boolean =>
  validFromDate.getTime() <= at && at <= validToDate.getTime()
