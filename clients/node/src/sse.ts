/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from their lines. */

export type ServerSentEvent = Readonly<{ id: string | undefined; event: string; data: string }>

/** An id can also come alone: the sender has nothing to tell, but knows where to resume. */
export class EventParser {
  /** The id to resume after: that of the last event that arrived completely. */
  lastEventId: string | undefined
  #id: string | undefined
  #event = ''
  #data: string[] = []

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId
    this.#id = lastEventId
  }

  /** The event that the line completes, if it does. */
  push(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#complete()
    const colon = line.indexOf(':')
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
    if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #complete(): ServerSentEvent | undefined {
    const [event, data] = [this.#event, this.#data]
    this.lastEventId = this.#id
    this.#event = ''
    this.#data = []
    return data.length === 0 ? undefined : { id: this.lastEventId, event, data: data.join('\n') }
  }
}
