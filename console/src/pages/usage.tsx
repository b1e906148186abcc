/** The usage page: what accounts have sent in a period, by day and by one dimension. */
import '../styles/usage.css'
import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { hasScope, useSession } from '../api/session.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { USAGE_TEXTS } from '../texts/usage.ts'
import { Button, Empty, Failure, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { showErrorToast } from '../ui/toast.tsx'
import { downloadUsage, type Period, useDays, useSums } from './usage/data.ts'
import { dimensionsOf, METRICS, measureOf, toDimension, toMetric } from './usage/measure.ts'
import { PERIODS, periodOf, toPeriodChoice } from './usage/period.ts'
import { UsageChart } from './usage/usage-chart.tsx'
import { UsageTable } from './usage/usage-table.tsx'

const T = USAGE_TEXTS
/** Loaded when a period is chosen by hand. */
const PeriodPicker = lazy(async () => ({ default: (await import('../ui/period-picker.tsx')).PeriodPicker }))
const PARAMS = ['period', 'from', 'to', 'by', 'metric'] as const

export function Usage() {
  const isAdmin = hasScope(useSession(), 'admin')
  const [params, change] = useParams(PARAMS)
  const choice = toPeriodChoice(params.period)
  const period = periodOf(choice, params, Date.now())
  const dimensions = dimensionsOf(isAdmin)
  const by = toDimension(params.by, dimensions)
  const metric = toMetric(params.metric)
  return (
    <>
      <PageHead
        title={PAGES_TEXTS.usage}
        about={isAdmin ? T.aboutAll : T.about}
        actions={<CsvButton period={period} isAdmin={isAdmin} />}
      />
      <div className="stack">
        <div className="usage-choices">
          <Select
            label={T.period}
            value={choice}
            of={PERIODS}
            nameOf={(one) => T.periods[one]}
            onChange={(one) => change(one === 'custom' ? { period: one, ...period } : toFixedPeriod(one))}
          />
          {choice === 'custom' && (
            <Suspense fallback={<div className="field" />}>
              <PeriodPicker
                label={T.days}
                value={period}
                max={periodOf('month', {}, Date.now()).to}
                onChange={change}
              />
            </Suspense>
          )}
          <Select
            label={T.by}
            value={by}
            of={dimensions}
            nameOf={(one) => T.dimensions[one]}
            onChange={(one) => change({ by: one })}
          />
          <Select
            label={T.metric}
            value={metric}
            of={METRICS}
            nameOf={(one) => T.metrics[one]}
            aboutOf={(one) => T.metricsMean[one]}
            onChange={(one) => change({ metric: one })}
          />
        </div>
        <Shown period={period} measure={measureOf(by, metric)} isAdmin={isAdmin} />
      </div>
    </>
  )
}

const toFixedPeriod = (period: 'month' | 'last-month') => ({
  period: period === 'month' ? undefined : period,
  from: undefined,
  to: undefined,
})

type ShownProps = Readonly<{ period: Period; measure: ReturnType<typeof measureOf>; isAdmin: boolean }>

function Shown({ period, measure, isAdmin }: ShownProps) {
  const days = useDays(period, measure.by, isAdmin)
  const sums = useSums(period, measure.by, isAdmin)
  const error = days.error ?? sums.error
  if (error !== null) return <Failure error={error} />
  if (days.data === undefined || sums.data === undefined) {
    return (
      <>
        <Skeleton height={372} />
        <Skeleton height={240} />
      </>
    )
  }
  if (sums.data.length === 0) return <Empty>{T.none}</Empty>
  return (
    <>
      <UsageChart days={days.data} period={period} measure={measure} />
      <UsageTable sums={sums.data} by={measure.by} />
    </>
  )
}

/** Every day and dimension, for bills. */
function CsvButton({ period, isAdmin }: Readonly<{ period: Period; isAdmin: boolean }>) {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      await downloadUsage(period, isAdmin)
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  return (
    <Button disabled={busy} onClick={() => void save()}>
      <Download aria-hidden="true" size={16} />
      {T.csv}
    </Button>
  )
}
