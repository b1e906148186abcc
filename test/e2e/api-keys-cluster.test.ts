import { after } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import { apiKeysContract, SETTINGS } from './api-keys.contract.ts'

const cluster = await openCluster({ plan: { all: 1, api: 1 }, env: SETTINGS })
after(() => cluster[Symbol.asyncDispose]())
const [one, other] = cluster.members.map((member) => toGateway(cluster, member))
if (one === undefined || other === undefined) throw new Error('the cluster has two members')
apiKeysContract({ one, other })
