/** The providers that are the same in every profile, opened and joined with the simulators that a profile brings. */
import { rolesOf } from '../config/settings.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { CarrierReferences } from '../ports/carrier-references.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderContext } from '../providers/kind.ts'
import { openRegistered, type RegisteredConfig, reports } from '../providers/registry.ts'
import type { Opening, Providers, Report } from './profile.ts'

/** What providers that hold a connection need to take reports on it. */
export type ReportSink = Readonly<{ report: Report; receipts: CarrierReferences }>

/** In the order of the file. */
export function joinProviders(opening: Opening, simulators: Providers, desk: ReportSink): Providers {
  const byName = new Map<ProviderName, Provider>()
  for (const config of opening.config.providers) {
    const provider = config.kind === 'simulator' ? simulators.byName.get(config.name) : open(opening, config, desk)
    if (provider !== undefined) byName.set(config.name, provider)
  }
  return { ...simulators, byName }
}

function open(opening: Opening, config: RegisteredConfig, { report, receipts }: ReportSink): Provider {
  const { config: settings, time, opened, tell } = opening
  const { name } = config
  const { publicUrl } = settings
  const callbackUrl = `${publicUrl?.replace(/\/$/, '')}/v1/callbacks/${name}`
  const isToReport = publicUrl !== undefined && reports(config)
  const place: ProviderContext = {
    name,
    // Signatures, certificates and deadlines are judged by the clock that the provider goes by too.
    clock: time.wall,
    sends: rolesOf(settings).has('worker'),
    report: (receipt) => report([receipt]),
    carrierReferences: receipts,
    log: (level, sentence, fields) => tell(level, sentence, { ...fields, provider: name }),
    ...(isToReport ? { callbackUrl } : {}),
  }
  return opened.use(openRegistered(config, place))
}
