/** A list that is fetched at once, with its loading, empty and error states. */
import type { ReactNode } from 'react'
import { Failure, Loading } from './parts.tsx'

type ItemsProps<Item> = Readonly<{
  /** Undefined while loading. */
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
