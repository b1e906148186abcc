/** The parts of long messages that have not all arrived, in memory, for tests. */
import {
  INCOMPLETE_KEPT_FOR,
  type JointKey,
  type PartialMessage,
  type PartialMessages,
  type PartToAdd,
} from '../../src/ports/partial-messages.ts'

type Group = Omit<PartialMessage, 'parts'> & {
  parts: Map<number, Readonly<{ digest: string; sealed: string; repeats: number }>>
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
      const { number, digest, sealed } = part
      const known = find(part)
      const isOver = known !== undefined && known.until <= part.at
      const isOther = (known?.parts.get(number)?.digest ?? digest) !== digest
      if (known !== undefined && (isOver || isOther)) known.isCurrent = false
      const group = find(part) ?? begin(part)
      if (known !== undefined && isOther && !isOver) takeOver(known, group, number)
      const { repeats, ...first } = group.parts.get(number) ?? { digest, sealed, repeats: -1 }
      group.parts.set(number, { ...first, sealed: group.joined ? sealed : first.sealed, repeats: repeats + 1 })
      return group.parts.size === group.total ? toPartial(group) : { ...toPartial(group), parts: [] }
    },
    async complete(id, until) {
      const group = groups.get(id)
      if (group === undefined) return
      groups.set(id, { ...group, joined: true, until })
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

function takeOver(from: Group, to: Group, before: number): void {
  for (const [number, part] of from.parts)
    if (number < before && part.repeats > 0) to.parts.set(number, { ...part, repeats: part.repeats - 1 })
}

const isOf = (one: Omit<JointKey, 'joint'>, other: Omit<JointKey, 'joint'>): boolean =>
  one.tenantId === other.tenantId && one.accountId === other.accountId

const toPartial = ({ id, tenantId, accountId, joint, total, joined, until, parts }: Group): PartialMessage => ({
  ...{ id, tenantId, accountId, joint, total, joined, until },
  parts: joined
    ? []
    : Array.from(parts, ([number, { sealed }]) => ({ number, sealed })).toSorted((a, b) => a.number - b.number),
})
