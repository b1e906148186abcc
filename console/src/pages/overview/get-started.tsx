/** What is left to set up on a new gateway. Each step is ticked once the API says that it is done. */
import { Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useSession } from '../../api/session.ts'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Button } from '../../ui/parts.tsx'
import { dismiss, isDismissed, type SetupStep, type StepName, useSteps } from './steps.ts'

const T = OVERVIEW_TEXTS.start

/** `steps` is missing unless there is something left to do; `isKnown`: they will not appear any more, or are there. */
type Start = Readonly<{ steps?: readonly SetupStep[]; isKnown: boolean; hide: () => void }>

/** What is below the steps is drawn once they are known, so that nothing moves when they appear. */
export function useStart(hasMessages: boolean, isWanted: boolean): Start {
  const tenant = useSession()?.tenantId ?? ''
  const [isHidden, setHidden] = useState(() => isDismissed(tenant))
  const isShown = isWanted && !isHidden
  const steps = useSteps(hasMessages, isShown)
  const hide = (): void => {
    dismiss(tenant)
    setHidden(true)
  }
  if (!isShown || steps?.every(({ isDone }) => isDone) === true) return { isKnown: true, hide }
  return steps === undefined ? { isKnown: false, hide } : { steps, isKnown: true, hide }
}

type GetStartedProps = Readonly<{ steps: readonly SetupStep[]; onHide: () => void }>

export function GetStarted({ steps, onHide }: GetStartedProps) {
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <section className="card start" aria-labelledby="start-title">
      <header>
        <div>
          <h2 id="start-title">{T.title}</h2>
          <p className="soft">{T.progress(done, steps.length)}</p>
        </div>
        <Button kind="plain" className="icon-only" aria-label={T.dismiss} title={T.dismiss} onClick={onHide}>
          <X aria-hidden="true" />
        </Button>
      </header>
      <ol>
        {steps.map(({ name, isDone }) => (
          <li key={name} className={isDone ? 'done' : ''}>
            {isDone ? <CircleCheck aria-label={T.done} /> : <Circle aria-label={T.open} />}
            <div>
              <h3>
                <Link href={PAGES[name]}>{T.steps[name].title}</Link>
              </h3>
              {!isDone && <p className="soft">{T.steps[name].about}</p>}
              {!isDone && DETAILS[name]}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

const PAGES: Readonly<Record<StepName, string>> = {
  send: '/send',
  provider: '/providers',
  webhook: '/webhooks',
  user: '/users',
  key: '/api-keys',
}

function FirstCall() {
  const call = T.curl(location.origin)
  return (
    <div className="start-call">
      <pre>{call}</pre>
      <CopyButton text={call} what={T.curlName} />
    </div>
  )
}

const DETAILS: Partial<Record<StepName, ReactNode>> = { send: <FirstCall /> }
