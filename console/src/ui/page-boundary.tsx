/** Keeps what is wrong with one page to that page: one sees what happened, and the way to every other. */
import { Component, type PropsWithChildren } from 'react'
import { TEXTS } from '../texts.ts'
import { Button, PageHead } from './parts.tsx'
import { tellError } from './toast.tsx'

const T = TEXTS.app

/** The code of a page did not come: the gateway is away, or another version of it than the one this console is of. */
export class NotFetched extends Error {}

type State = Readonly<{ error?: unknown }>

/** A class, because React asks for one. Key it by the address, so that it forgets with the page. */
export class PageBoundary extends Component<PropsWithChildren, State> {
  override readonly state: State = {}

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <div role="alert">
        <PageHead title={error instanceof NotFetched ? T.notFetched : T.broken} about={T.pageHint} />
        <Button onClick={() => void reload()}>{TEXTS.common.tryAgain}</Button>
      </div>
    )
  }
}

/** Not before the gateway is there: the browser would put a page of its own in the place of this one. */
async function reload(): Promise<void> {
  try {
    await fetch(location.pathname, { method: 'HEAD' })
    location.reload()
  } catch (error) {
    tellError(error)
  }
}
