/** The parts of long messages that have not all arrived, in memory, for tests. */
import {
  INCOMPLETE_KEPT_FOR,
  type JointKey,
  type PartialMessage,
  type PartialMessages,
  type PartToAdd,
} from '../../src/ports/partial-messages.ts'

type Group = Omit<PartialMessage, 'parts'> & {
  parts: Map<number, Readonly<{ digest: string; sealed: string }>>
  heldUntil: number
  isCurrent: boolean
}

export function memoryPartialMessages(): PartialMessages {
  const groups = new Map<string, Group>()
  const find = (key: JointKey): Group | undefined =>
    [...groups.values()].find((group) => group.isCurrent && group.joint === key.joint && isOf(key, group))

  function begin({ id, tenantId, accountId, joint, total, until }: PartToAdd): Group {
    const group = { id, tenantId, accountId, joint, total, until, joined: false, parts: new Map(), heldUntil: 0 }
    groups.set(id, { ...group, isCurrent: true })
    return groups.get(id) as Group
  }

  return {
    async add(part) {
      const known = find(part)
      const digest = known?.parts.get(part.number)?.digest ?? part.digest
      if (known !== undefined && (known.until <= part.at || digest !== part.digest)) known.isCurrent = false
      const group = find(part) ?? begin(part)
      if (!group.joined && !group.parts.has(part.number)) group.parts.set(part.number, part)
      return toPartial(group)
    },
    async complete(id) {
      const group = groups.get(id)
      if (group !== undefined) groups.set(id, { ...group, joined: true })
    },
    async retract(id, number) {
      groups.get(id)?.parts.delete(number)
    },
    async takeIncomplete(accounts, at, leasedUntil, max) {
      return [...groups.values()]
        .filter((group) => accounts.some((account) => isOf(account, group)))
        .filter(({ until, joined, heldUntil }) => !joined && until <= at && heldUntil <= at)
        .slice(0, max)
        .map((group) => {
          group.heldUntil = leasedUntil
          return toPartial(group)
        })
    },
    async remove(ids) {
      for (const id of ids) groups.delete(id)
    },
    async forget(at) {
      for (const { id, until, joined } of groups.values()) {
        if (until <= at && (joined || until <= at - INCOMPLETE_KEPT_FOR)) groups.delete(id)
      }
      return false
    },
  }
}

const isOf = (one: Omit<JointKey, 'joint'>, other: Omit<JointKey, 'joint'>): boolean =>
  one.tenantId === other.tenantId && one.accountId === other.accountId

const toPartial = ({ id, tenantId, accountId, joint, total, joined, until, parts }: Group): PartialMessage => ({
  ...{ id, tenantId, accountId, joint, total, joined, until },
  parts: joined
    ? []
    : Array.from(parts, ([number, { sealed }]) => ({ number, sealed })).toSorted((a, b) => a.number - b.number),
})
