/** Types of the package `smpp` that only tests use: sessions of servers and clients, and the GSM 03.38 decoder. */
declare module 'smpp' {
  type Received = PDU &
    Readonly<{
      command_status: number
      sequence_number: number
      response: (fields?: object) => PDU
    }>

  export class Session {
    constructor(options: Readonly<{ socket: import('node:net').Socket }>)
    readonly socket: import('node:net').Socket
    on(event: 'close', listener: () => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: string, listener: (pdu: Received) => void): this
    send(pdu: PDU, answered?: (response: Received) => void): boolean
    destroy(): void
  }

  /** A session of a client, which connects at once. */
  export function connect(options: object, connected?: () => void): Session
}

declare module 'smpp/lib/defs.js' {
  export const gsmCoder: Readonly<{ decode: (octets: Buffer, table: number) => string }>
}
