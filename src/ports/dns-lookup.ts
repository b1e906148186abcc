/** Looks up records in the DNS. */

/** `absent` is certain: there is no such name, or it has no such record. */
export type TxtAnswer = Readonly<
  { kind: 'found'; values: readonly string[] } | { kind: 'absent' } | { kind: 'unavailable'; reason: string }
>

export interface DnsLookup {
  /** The TXT records of a name. Answers within seconds, also while no server does. */
  txt(name: string): Promise<TxtAnswer>
}
