/** Opens the configured providers and merges them with the simulators of the profile. */
import type { ProviderConfig } from '../config/file.ts'
import { rolesOf } from '../config/settings.ts'
import type { ProviderName } from '../domain/ids.ts'
import { openBounceAddresses } from '../engines/crypto/bounce-addresses.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { CarrierReferences } from '../ports/carrier-references.ts'
import type { Provider } from '../ports/provider.ts'
import type { ProviderContext } from '../providers/kind.ts'
import { openRegistered, type RegisteredConfig, reports } from '../providers/registry.ts'
import type { Opening, Providers, Report } from './profile.ts'

/** What providers get from the profile: where to report, and the keys that sign email. */
export type ReportSink = Readonly<{ report: Report; carrierReferences: CarrierReferences }> &
  Required<Pick<ProviderContext, 'dkimSigningFor'>>

/** Keeps the order of the configuration file. */
export function joinProviders(opening: Opening, simulators: Providers, sink: ReportSink): Providers {
  const byName = new Map<ProviderName, Provider>()
  for (const config of opening.config.providers) {
    const provider = config.kind === 'simulator' ? simulators.byName.get(config.name) : open(opening, config, sink)
    if (provider !== undefined) byName.set(config.name, reserve(provider, config))
  }
  return { ...simulators, byName }
}

/** Providers know nothing of tenants: who may use them is decided before they are called. */
const reserve = (provider: Provider, { tenants }: ProviderConfig): Provider =>
  tenants === undefined ? provider : { ...provider, tenants }

function open(opening: Opening, config: RegisteredConfig, sink: ReportSink): Provider {
  const { report, carrierReferences, dkimSigningFor } = sink
  const { config: settings, time, opened, logLine, secrets } = opening
  const { name } = config
  const { publicUrl } = settings
  const callbackUrl = `${publicUrl?.replace(/\/$/, '')}/v1/callbacks/${name}`
  const hasCallbacks = publicUrl !== undefined && reports(config)
  const context: ProviderContext = {
    name,
    // The provider checks signatures, certificates and deadlines by the wall clock too.
    clock: time.wall,
    sends: rolesOf(settings).has('worker'),
    report: (receipt) => report([receipt]),
    carrierReferences,
    dkimSigningFor,
    log: (level, message, fields) => logLine(level, message, { ...fields, provider: name }),
    ...omitUndefined({
      callbackUrl: hasCallbacks ? callbackUrl : undefined,
      bounceAddressFor: bounceAddressOf(settings, secrets),
    }),
  }
  return opened.use(openRegistered(config, context))
}

function bounceAddressOf(
  { bounceDomain }: Opening['config'],
  { masterKey }: Opening['secrets'],
): ProviderContext['bounceAddressFor'] {
  if (bounceDomain === undefined) return undefined
  const addresses = openBounceAddresses(masterKey, bounceDomain)
  return ({ ref }) => addresses.of(ref)
}
