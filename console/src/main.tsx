/** Renders the console. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { Problem } from './api/client.ts'
import { onSessionChange, startSession } from './api/session.ts'
import { App } from './app.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import './styles/controls.css'
import './styles/overlays.css'
import { applyTheme } from './ui/theme.ts'

applyTheme()

/** Retries network errors and 5xx responses, not 4xx. */
const isWorthRepeating = (failures: number, error: Error): boolean =>
  failures < 2 && !(error instanceof Problem && error.status < 500)

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 2_000, retry: isWorthRepeating, refetchOnWindowFocus: false } },
})

/** Cached data must not leak from one tenant to the next. */
onSessionChange(() => queries.clear())

await startSession()

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Router base="/console">
          <App />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  )
}
