/** Types for the parts of the package `smpp` that we use. */
declare module 'smpp' {
  /** Its properties are the protocol's fields. */
  export class PDU {
    static maxLength: number
    constructor(frame: Buffer)
    constructor(command: string, fields: object)
    readonly command: string
    toBuffer(): Buffer
    /** Decodes or encodes texts and times. */
    _filter(direction: 'encode' | 'decode'): void
  }
}

declare module 'smpp/lib/defs.js' {
  export const commandsById: Readonly<Record<number, Readonly<{ command: string }>>>
  /** Only optional fields are read with their declared length. */
  type FieldType = Readonly<{ read(buffer: Buffer, offset: number, length: number): unknown }>
  export const tlvs: Readonly<Record<'receipted_message_id', { type: FieldType }>>
}
