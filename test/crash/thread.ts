/** Runs schedules in a worker thread: the test runner's async hooks would make every promise three times as slow. */
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { type Result, runSchedule } from './schedule.ts'

export async function runInThread(schedules: number): Promise<readonly Result[]> {
  const [results] = await once(new Worker(new URL(import.meta.url), { workerData: schedules }), 'message')
  return results
}

if (parentPort !== null && typeof workerData === 'number') {
  const results: Result[] = []
  for (let seed = 1; seed <= workerData; seed += 1) results.push(await runSchedule(seed))
  parentPort.postMessage(results)
}
