/** The webhook endpoints of the embedded profile. */
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import { toEndpoint } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { EndpointRow } from './endpoint-table.ts'
import type { StoreMethods } from './store.ts'

/** Webhook deliveries deleted per step: few enough not to block other users of the store. */
const STEP = 500

export const sqliteEndpoints = (driver: Driver<StoreMethods>): Endpoints => ({
  add: async (endpoint) => toFound(await driver.call('addEndpoint', endpoint)),
  find: async (key) => toFound(await driver.call('findEndpoint', key)),
  list: async (of) => (await driver.call('listEndpoints', of)).map(toEndpoint),
  change: async (endpoint) => toFound(await driver.call('changeEndpoint', endpoint)),

  async remove(key) {
    while (await driver.call('deleteSomeDeliveries', key, STEP)) {
      // The last of them are deleted with the endpoint.
    }
    return driver.call('removeEndpoint', key)
  },

  judge: (key, finding) => driver.call('judgeEndpoint', key, finding),
})

const toFound = (row: EndpointRow | undefined): Endpoint | undefined => row && toEndpoint(row)
