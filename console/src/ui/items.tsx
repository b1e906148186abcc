/** A list that comes at once: what went wrong, that it is awaited, that there is nothing, or what there is. */
import type { ReactNode } from 'react'
import { Failure, Loading } from './parts.tsx'

type ItemsProps<Item> = Readonly<{
  /** Undefined while they are awaited. */
  of: readonly Item[] | undefined
  error: Error | null
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}>

export const Items = <Item,>({ of: items, error, empty, children }: ItemsProps<Item>) => (
  <>
    {error !== null && <Failure error={error} />}
    {items === undefined && error === null && <Loading />}
    {items?.length === 0 && empty}
    {items !== undefined && items.length > 0 && children(items)}
  </>
)
