/** Whether senders are restricted, in the words of `pombo doctor`. */
import type { Tenant } from '../domain/access/tenant.ts'

/** `lists` are the tenants of the store with a list of senders, `verified` counts the verified domains. */
export type StoredSenders = Readonly<{ lists: readonly string[]; verified: number }>

export const NO_STORED_SENDERS: StoredSenders = { lists: [], verified: 0 }

/** `file` are the tenants of the operator's file, which takes precedence. */
export function sendersInWords(file: readonly Pick<Tenant, 'id' | 'senders'>[], stored: StoredSenders): string {
  const ofFile = file.filter(({ senders }) => senders !== undefined)
  const ofStore = stored.lists.filter((tenant) => !file.some(({ id }) => id === tenant))
  const lists = ofFile.length + ofStore.length
  const { verified } = stored
  if (lists === 0 && verified === 0) return 'all senders allowed: no tenant has a list of senders or a verified domain'
  const claims = `the lists of ${count(lists, 'tenant')} and by ${count(verified, 'verified domain')}`
  return `restricted by ${claims}; tenants without a list may use all other senders`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
