import { restartRole } from '../disturb-role.ts'
import { disturbance } from '../disturbance.ts'

export default disturbance({ weight: 1, disturb: (service, random) => restartRole(service.workers, random) })
