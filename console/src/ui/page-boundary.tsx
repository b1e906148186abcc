/** Contains the errors of a page, so that the navigation keeps working. */
import { Component, type PropsWithChildren } from 'react'
import { APP_TEXTS } from '../texts/app.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { Button, PageHead } from './parts.tsx'
import { showErrorToast } from './toast.tsx'

const T = APP_TEXTS

/** The code of a page could not be loaded: the gateway is unreachable, or was upgraded since the console was opened. */
export class PageLoadError extends Error {}

type State = Readonly<{ error?: unknown }>

/** Error boundaries have to be classes. Key it by the address to reset it. */
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
        <PageHead title={error instanceof PageLoadError ? T.notFetched : T.broken} about={T.pageHint} />
        <Button onClick={() => void reload()}>{COMMON_TEXTS.tryAgain}</Button>
      </div>
    )
  }
}

/** Reloads only if the gateway answers: otherwise the browser would replace the page with its own error page. */
async function reload(): Promise<void> {
  try {
    await fetch(location.pathname, { method: 'HEAD' })
    location.reload()
  } catch (error) {
    showErrorToast(error)
  }
}
