/**
 * Renders templates in two threads, so that no template delays anything else and none of one tenant delays those of
 * another for long. The threads start with the first template they get. What is asked for in one turn of the event loop
 * travels together.
 */
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TemplateData } from '../../domain/directory/template-data.ts'
import type { TenantId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant } from '../../lib/time.ts'
import type { Checked, Renderable, Rendered, Renderer, TemplatePart } from '../../ports/renderer.ts'
import { TenantOverload, Unavailable } from '../../ports/unavailable.ts'
import type { JobDone, RenderJob } from './render-jobs.ts'
import { RenderStation, type StationOptions, type Worked } from './render-station.ts'
import { PACES, type Pace, RenderTurns, type Waiting } from './render-turns.ts'
import { RENDER_MS } from './rendering.ts'

export type RendererOptions = Readonly<{
  /** Called when a thread had to be terminated, or died, because of a template of this tenant. */
  onDeath?: (tenantId: TenantId, cause: Error) => void
  /** What the threads run; for tests. */
  entry?: URL
}>

type Order = Waiting &
  Readonly<{
    texts: TemplateTexts
    /** As JSON. */
    data?: string
    resolve: (result: Rendered | Checked) => void
    reject: (error: Error) => void
  }> & { losses: number }

/** The CPU time that one template may take. */
const MILLIS: Readonly<Record<Pace, number>> = { quick: 10, slow: RENDER_MS }
/** Messages wait for the quick thread. The slow one uses what others leave. */
const THREADS: Readonly<Record<Pace, StationOptions>> = { quick: { niceness: 5 }, slow: { niceness: 15 } }
/** How often a template may lose its thread through no fault of its own. */
const MOST_LOSSES = 2

class ThreadedRenderer implements Renderer, AsyncDisposable {
  readonly #turns = new RenderTurns<Order>(() => instant(performance.now()))
  readonly #stations: Readonly<Record<Pace, RenderStation>>
  readonly #onDeath: RendererOptions['onDeath']
  #pumping: NodeJS.Immediate | undefined
  #isClosed = false

  constructor({ onDeath, entry }: RendererOptions) {
    this.#onDeath = onDeath
    const open = (pace: Pace) => new RenderStation({ ...THREADS[pace], ...omitUndefined({ entry }) })
    this.#stations = { quick: open('quick'), slow: open('slow') }
  }

  async render(template: Renderable, data: TemplateData, purpose: Waiting['purpose'] = 'message'): Promise<Rendered> {
    return this.#order(template, { purpose, data: JSON.stringify(data) }) as Promise<Rendered>
  }

  check(draft: Renderable): Promise<Checked> {
    return this.#order(draft, { purpose: 'message' }) as Promise<Checked>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearImmediate(this.#pumping)
    for (const { reject } of this.#turns.clear()) reject(closed())
    await Promise.all(PACES.map((pace) => this.#stations[pace][Symbol.asyncDispose]()))
  }

  async #order(template: Renderable, wanted: Pick<Order, 'purpose' | 'data'>): Promise<Rendered | Checked> {
    if (this.#isClosed) throw closed()
    const { tenantId, texts } = template
    const about = { tenantId, characters: lengthOf(texts), ...omitUndefined({ ...wanted, key: keyOf(template) }) }
    const refusal = this.#turns.refusal(about)
    if (refusal === 'tenant-full') throw new TenantOverload('Too many templates of this tenant wait to be rendered')
    if (refusal === 'full') throw new Unavailable('too many templates wait to be rendered')
    return new Promise((resolve, reject) => {
      this.#turns.add({ ...about, texts, resolve, reject, losses: 0 })
      this.#pumping ??= setImmediate(() => this.#pump())
    })
  }

  #pump(): void {
    this.#pumping = undefined
    for (const pace of PACES) if (!this.#isClosed && !this.#stations[pace].isBusy) void this.#serve(pace)
  }

  async #serve(pace: Pace): Promise<void> {
    const orders = this.#turns.take(pace)
    // Those that turned out not to be quick are for the other one, which is asked next.
    if (orders.length === 0) return
    const worked = await this.#stations[pace].work(orders.map(toJob), MILLIS[pace])
    this.#settle(pace, orders, worked)
    this.#pump()
  }

  #settle(pace: Pace, orders: readonly Order[], worked: Worked): void {
    if (this.#isClosed) {
      for (const { reject } of orders) reject(closed())
      return
    }
    switch (worked.kind) {
      case 'worked':
        for (const [nth, done] of worked.done.entries()) this.#finish(pace, orders[nth], done)
        this.#turns.putBack(pace, orders.slice(worked.done.length))
        return
      case 'died':
        this.#turns.putBack(pace, this.#blame(orders, worked))
        return
      case 'failed':
        orders[worked.at]?.reject(worked.cause)
        this.#turns.putBack(
          pace,
          orders.filter((_, nth) => nth !== worked.at),
        )
        return
      case 'unavailable':
        for (const { reject } of orders)
          reject(new Unavailable('templates cannot be rendered', { cause: worked.cause }))
    }
  }

  #finish(pace: Pace, order: Order | undefined, { result, isTime, millis }: JobDone): void {
    if (order === undefined) return
    this.#turns.charge(order, millis)
    if (isTime && pace === 'quick') this.#turns.addSlow(order)
    else order.resolve(result)
  }

  /** Returns the others, of which those that have lost their thread too often are refused. */
  #blame(orders: readonly Order[], { at, cause }: Extract<Worked, { kind: 'died' }>): readonly Order[] {
    const guilty = at === undefined ? undefined : orders[at]
    if (guilty !== undefined) {
      this.#onDeath?.(guilty.tenantId, cause)
      this.#turns.charge(guilty, RENDER_MS)
      guilty.resolve({ kind: 'too-much', part: longestPart(guilty.texts) })
    }
    return orders.filter((order) => {
      if (order === guilty) return false
      order.losses += 1
      if (order.losses <= MOST_LOSSES) return true
      order.reject(new Unavailable('a rendering thread has ended', { cause }))
      return false
    })
  }
}

export const openRenderer = (options: RendererOptions = {}): Renderer & AsyncDisposable => new ThreadedRenderer(options)

const closed = (): Unavailable => new Unavailable('the rendering threads are closed')

/** Of a saved version: a draft has no name, and its texts are not cached. */
const keyOf = ({ tenantId, name, locale = '', version }: Renderable): string | undefined =>
  name === undefined || version === undefined ? undefined : [tenantId, name, locale, version].join(' ')

const toJob = ({ texts, key, data }: Order): RenderJob => omitUndefined({ texts, key, data })

const lengthOf = ({ text, subject = '', html = '' }: TemplateTexts): number =>
  text.length + subject.length + html.length

/** The likely culprit of a template that killed its thread. */
const longestPart = ({ text, html = '' }: TemplateTexts): TemplatePart => (html.length > text.length ? 'html' : 'text')
