/** The routes page: the routes, and a preview of the routing decision for one message. */
import { useState } from 'react'
import { hasScope, useSession } from '../api/session.ts'
import '../styles/routes.css'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { ROUTES_TEXTS } from '../texts/routes.ts'
import { ConfirmRemoval } from '../ui/confirm.tsx'
import { Items } from '../ui/items.tsx'
import { Button, Card, Empty, Failure, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { ROUTES, type Route, removeRoute, useDecision, useRoutes } from './routes/data.ts'
import { DecisionPicture } from './routes/decision.tsx'
import { RESOLVE_PARAMS, ResolveForm, toResolveRequest } from './routes/resolve-form.tsx'
import { RouteDialog } from './routes/route-dialog.tsx'
import { RouteList } from './routes/route-list.tsx'
import { conditionsOf } from './routes/route-text.ts'

const T = ROUTES_TEXTS

type Open = Readonly<{ kind: 'add' }> | Readonly<{ kind: 'change' | 'remove'; route: Route }>

export function Routes() {
  const [params, change] = useParams(RESOLVE_PARAMS)
  const request = toResolveRequest(params)
  const { data: decision, error: resolveError } = useDecision(request)
  const { data, error } = useRoutes()
  const [open, setOpen] = useState<Open>()
  const mayChange = hasScope(useSession(), 'admin')
  const close = (): void => setOpen(undefined)
  return (
    <>
      <PageHead
        title={PAGES_TEXTS.routes}
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
          <ResolveForm params={params} error={resolveError} onResolve={change} />
          {resolveError !== null && request !== undefined && <Failure error={resolveError} />}
          {request !== undefined && decision !== undefined && resolveError === null && (
            <DecisionPicture request={request} decision={decision} />
          )}
        </Card>
        <Items of={data?.items} error={error} empty={<Empty>{T.nothing}</Empty>}>
          {(routes) => (
            <section aria-labelledby="routes-title">
              <h2 id="routes-title" className="list-title">
                {T.listTitle(routes.length)}
              </h2>
              <RouteList
                routes={routes}
                taken={request === undefined ? undefined : decision?.route?.id}
                mayChange={mayChange}
                onChange={(route) => setOpen({ kind: 'change', route })}
                onRemove={(route) => setOpen({ kind: 'remove', route })}
              />
            </section>
          )}
        </Items>
      </div>
      {open?.kind === 'add' && <RouteDialog route={undefined} onClose={close} />}
      {open?.kind === 'change' && <RouteDialog route={open.route} onClose={close} />}
      {open?.kind === 'remove' && <RemoveRoute route={open.route} onClose={close} />}
    </>
  )
}

const RemoveRoute = ({ route, onClose }: Readonly<{ route: Route; onClose: () => void }>) => (
  <ConfirmRemoval
    title={T.removeTitle(route.id)}
    remove={() => removeRoute(route.id)}
    done={T.removed(route.id)}
    queryKey={ROUTES}
    onClose={onClose}
  >
    <p>{T.removeAbout(conditionsOf(route))}</p>
  </ConfirmRemoval>
)
