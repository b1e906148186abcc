/** Which providers carry which messages, and why: the routes, and the way that one message would take. */
import { useState } from 'react'
import { may, useSession } from '../api/session.ts'
import '../styles/routes.css'
import { TEXTS } from '../texts.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Button, Card, Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { tell, tellError } from '../ui/toast.tsx'
import { type Route, useDecision, useRemove, useRoutes } from './routes/data.ts'
import { DecisionPicture } from './routes/decision.tsx'
import { ASKED, ResolveForm, toAsked } from './routes/resolve-form.tsx'
import { RouteDialog } from './routes/route-dialog.tsx'
import { RouteList } from './routes/route-list.tsx'
import { conditionsOf } from './routes/route-words.ts'

const T = TEXTS.routes

type Open = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'remove'; route: Route }>

export function Routes() {
  const [params, change] = useParams(ASKED)
  const asked = toAsked(params)
  const { data: decision, error: refusal } = useDecision(asked)
  const { data, error, isPending } = useRoutes()
  const [open, setOpen] = useState<Open>()
  const mayChange = may(useSession(), 'admin')
  const close = (): void => setOpen(undefined)
  return (
    <>
      <PageHead
        title={TEXTS.pages.routes}
        about={T.about}
        actions={
          mayChange && (
            <Button kind="primary" onClick={() => setOpen({ kind: 'add' })}>
              {T.add}
            </Button>
          )
        }
      />
      <div className="stack">
        <Card title={T.resolve.title}>
          <ResolveForm asked={params} error={refusal} onAsk={change} />
          {refusal !== null && asked !== undefined && <Failure error={refusal} />}
          {asked !== undefined && decision !== undefined && refusal === null && (
            <DecisionPicture asked={asked} decision={decision} />
          )}
        </Card>
        {isPending && <Loading />}
        {error !== null && <Failure error={error} />}
        {data !== undefined && data.items.length === 0 && <Empty>{T.nothing}</Empty>}
        {data !== undefined && data.items.length > 0 && (
          <section aria-labelledby="routes-title">
            <h2 id="routes-title" className="list-title">
              {T.listTitle(data.items.length)}
            </h2>
            <RouteList
              routes={data.items}
              taken={asked === undefined ? undefined : decision?.route?.id}
              mayChange={mayChange}
              onChange={(route) => setOpen({ kind: 'change', route })}
              onRemove={(route) => setOpen({ kind: 'remove', route })}
            />
          </section>
        )}
      </div>
      {open?.kind === 'add' && <RouteDialog route={undefined} onClose={close} />}
      {open?.kind === 'change' && <RouteDialog route={open.route} onClose={close} />}
      {open?.kind === 'remove' && <RemoveRoute route={open.route} onClose={close} />}
    </>
  )
}

function RemoveRoute({ route, onClose }: Readonly<{ route: Route; onClose: () => void }>) {
  const { mutate, isPending } = useRemove(() => {
    tell(T.removed(route.id))
    onClose()
  })
  return (
    <Confirm
      title={T.removeTitle(route.id)}
      action={TEXTS.common.remove}
      danger
      busy={isPending}
      onConfirm={() => mutate(route.id, { onError: tellError })}
      onClose={onClose}
    >
      <p>{T.removeAbout(conditionsOf(route))}</p>
    </Confirm>
  )
}
