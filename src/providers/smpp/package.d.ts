/** What we use of the package `smpp`, which comes without types: how a PDU is written and read. */
declare module 'smpp' {
  /** Its fields are read and written by their names in the protocol. */
  export class PDU {
    static maxLength: number
    constructor(frame: Buffer)
    constructor(command: string, fields: object)
    readonly command: string
    toBuffer(): Buffer
    /** Reads texts and times of what came, and writes those of what goes. */
    _filter(direction: 'encode' | 'decode'): void
  }
}

declare module 'smpp/lib/defs.js' {
  export const commandsById: Readonly<Record<number, Readonly<{ command: string }>>>
  /** How a field is read and written. Only optional fields are read with the length that they say they have. */
  type FieldType = Readonly<{ read(buffer: Buffer, offset: number, length: number): unknown }>
  export const tlvs: Readonly<Record<'receipted_message_id', { type: FieldType }>>
}
