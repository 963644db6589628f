export { createMeasurementReader } from './measurement-reader.ts';
export { createMeasurementRecorder } from './measurement-recorder.ts';
