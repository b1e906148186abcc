/** What we use of the package `smpp`, which comes without types: how a PDU is written and read. */
declare module 'smpp' {
  /** Its fields are read and written by their names in the protocol. */
  export class PDU {
    static maxLength: number
    constructor(frame: Buffer)
    constructor(command: string, fields: object)
    readonly command: string
    toBuffer(): Buffer
  }
}

declare module 'smpp/lib/defs.js' {
  type Field = { filter?: object }
  type Command = Readonly<{ command: string; params?: Readonly<Record<string, Field>> }>
  export const commands: Readonly<Record<string, Command>>
  export const commandsById: Readonly<Record<number, Command>>
  export const tlvs: Readonly<Record<string, Field>>
}
