import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { someJob, tenant } from '../../ports/samples.contract.ts'
import { consumerOf, laneOf, namesFor, parseJob, parseTenantLane } from './subjects.ts'

test('a job and a tenant queue are parsed from their subjects', () => {
  const names = namesFor('P', 4)
  const job = someJob({ lane: 'otp', tenantId: tenant('a_b-C') })
  assert.deepEqual(parseJob(names.job(job)), job)
  assert.deepEqual(parseTenantLane(names.queue(job)), { lane: job.lane, tenantId: job.tenantId })
  assert.equal(laneOf(consumerOf(job)), 'otp')
})

test('tenants are spread over partitions, and each stays in its own', () => {
  const names = namesFor('P', 4)
  // These must never change: jobs of a running system are there.
  assert.equal(names.jobsOf('north' as TenantId), 'P_JOBS_0')
  assert.equal(names.jobsOf('south' as TenantId), 'P_JOBS_2')
  const used = new Set(Array.from({ length: 100 }, (_, n) => names.jobsOf(tenant(`tenant-${n}`))))
  assert.deepEqual(used, new Set(names.jobs))
})
