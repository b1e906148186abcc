/** The messages before and after this one in the list that one came from, as far as it was loaded. */
import { useQueryClient } from '@tanstack/react-query'
import type { Listing } from '../messages/listing.ts'

type Neighbours = Readonly<{ previous: string | undefined; next: string | undefined }>

export function useNeighbours(id: string): Neighbours {
  const lists = useQueryClient().getQueriesData<Listing>({ queryKey: ['messages'] })
  for (const [, list] of lists) {
    const here = list?.items?.findIndex((message) => message.id === id) ?? -1
    if (here >= 0) return { previous: list?.items[here - 1]?.id, next: list?.items[here + 1]?.id }
  }
  return { previous: undefined, next: undefined }
}
