/** A paginated list with its loading, empty and error states. */
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Button, Failure, Loading } from './parts.tsx'

type Page<Item> = Readonly<{ items: readonly Item[]; next_cursor: string | null }>

/** The cursor parameter, omitted on the first page. */
type FetchPage<Item> = (from: Readonly<{ cursor?: string }>) => Promise<Page<Item>>

export function useListing<Item>(
  queryKey: QueryKey,
  fetchPage: FetchPage<Item>,
  refetchInterval: number | false = false,
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval,
  })
}

type ListingProps<Item> = Readonly<{
  of: ReturnType<typeof useListing<Item>>
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}>

export function Listing<Item>({ of: list, empty, children }: ListingProps<Item>) {
  if (list.isPending) return <Loading />
  if (list.isError && list.data === undefined) return <Failure error={list.error} />
  const items = list.data.pages.flatMap((page) => page.items)
  if (items.length === 0) return empty
  return (
    <div className="stack">
      {list.isError && <Failure error={list.error} />}
      {children(items)}
      {list.hasNextPage && (
        <div className="row">
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {COMMON_TEXTS.more}
          </Button>
        </div>
      )}
    </div>
  )
}
