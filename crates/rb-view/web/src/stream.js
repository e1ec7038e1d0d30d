// The recorded stream: undoes what src/table.rs and src/quantise.rs of the crate do.

const POSITION_STEP = 1 / 8192;
const VELOCITY_STEP = 1e-3;
const ROTATION_STEP = 1 / (Math.SQRT2 * 16383);
const NORMAL_STEP = 1 / 127;
const IMPULSE_FLOOR = 1e-6;
const IMPULSE_STEPS = 8;

const ASLEEP = 4;
const HAS_VELOCITY = 8;

/** Inflated chunks kept in memory; a run that is longer is inflated again as it is needed. */
const CHUNKS_KEPT = 8;

/** Rows of integers, stored as differences from frame to frame. */
class Table {
  constructor(columns) {
    this.columns = columns;
    this.count = 0;
    this.rows = new Int32Array(0);
  }

  restart() {
    this.resize(0);
  }

  resize(count) {
    const { columns } = this;
    if (count * columns > this.rows.length) {
      const grown = new Int32Array(2 * count * columns);
      grown.set(this.rows);
      this.rows = grown;
    }
    this.rows.fill(0, count * columns, Math.max(count, this.count) * columns);
    this.count = count;
  }

  /** Reads one frame from `bytes` at `offset`; returns the offset behind it. */
  read(bytes, offset) {
    let value;
    const varint = () => {
      let byte = bytes[offset++];
      value = byte & 0x7f;
      for (let shift = 7; byte & 0x80; shift += 7) {
        byte = bytes[offset++];
        value |= (byte & 0x7f) << shift;
      }
      return value;
    };
    this.resize(varint());
    const { rows, columns, count } = this;
    const bits = offset;
    offset += (count + 7) >> 3;
    for (let row = 0; row < count; row++) {
      if (!((bytes[bits + (row >> 3)] >> (row & 7)) & 1)) continue;
      for (let cell = row * columns; cell < (row + 1) * columns; cell++) {
        const code = varint();
        rows[cell] += (code >>> 1) ^ -(code & 1);
      }
    }
    return offset;
  }
}

/** The frames of a recording; holds one decoded frame at a time. */
export class Stream {
  constructor(frameCount, chunkFrames) {
    this.frameCount = frameCount;
    this.chunkFrames = chunkFrames;
    this.chunks = new Map();
    this.frame = -1;
    this.offset = 0;
    this.bodies = new Table(10);
    this.contacts = new Table(6);
    this.joints = new Table(7);
  }

  /** Decodes `frame` if its chunk is inflated; otherwise asks for the chunk and says no. */
  show(frame) {
    const index = Math.floor(frame / this.chunkFrames);
    const chunk = this.#chunk(index);
    if ((index + 1) * this.chunkFrames < this.frameCount) this.#chunk(index + 1);
    if (!chunk) return false;
    const first = index * this.chunkFrames;
    if (this.frame > frame || this.frame < first) {
      this.frame = first - 1;
      this.offset = 0;
      for (const table of [this.bodies, this.contacts, this.joints]) table.restart();
    }
    for (; this.frame < frame; this.frame++) {
      for (const table of [this.bodies, this.contacts, this.joints]) {
        this.offset = table.read(chunk, this.offset);
      }
    }
    return true;
  }

  /** The bytes of a chunk, or nothing as long as they are being inflated. */
  #chunk(index) {
    if (!this.chunks.has(index)) {
      this.chunks.set(index, null);
      if (this.chunks.size > CHUNKS_KEPT) this.chunks.delete(this.chunks.keys().next().value);
      inflate(document.getElementById(`chunk-${index}`).textContent).then((bytes) => {
        if (this.chunks.has(index)) this.chunks.set(index, bytes);
      });
    }
    return this.chunks.get(index);
  }

  /** Writes the pose of a body; returns its flags. Metres, world frame. */
  pose(body, position, quaternion) {
    const { rows } = this.bodies;
    const row = body * 10;
    readPosition(rows, row + 3, position);
    readRotation(rows, row + 6, rows[row + 9] & 3, quaternion);
    return { asleep: (rows[row + 9] & ASLEEP) !== 0 };
  }

  /** Linear velocity of a body in m/s, or null if it was not recorded. */
  velocity(body) {
    const { rows } = this.bodies;
    const row = body * 10;
    if (!(rows[row + 9] & HAS_VELOCITY)) return null;
    return Array.from(rows.subarray(row, row + 3), (v) => v * VELOCITY_STEP);
  }

  /** Writes point and unit normal of a contact; returns its impulse in N·s. */
  contact(index, point, normal) {
    const { rows } = this.contacts;
    const row = index * 6;
    readPosition(rows, row, point);
    const u = rows[row + 3] * NORMAL_STEP;
    const v = rows[row + 4] * NORMAL_STEP;
    const height = 1 - Math.abs(u) - Math.abs(v);
    const fold = Math.max(-height, 0);
    normal.set(u - Math.sign(u) * fold, v - Math.sign(v) * fold, height).normalize();
    return rows[row + 5] ? IMPULSE_FLOOR * 2 ** (rows[row + 5] / IMPULSE_STEPS) : 0;
  }

  /** Writes the pose of a joint frame. */
  joint(index, position, quaternion) {
    const { rows } = this.joints;
    const row = index * 7;
    readPosition(rows, row, position);
    readRotation(rows, row + 3, rows[row + 6], quaternion);
  }
}

function readPosition(rows, cell, out) {
  out.set(rows[cell], rows[cell + 1], rows[cell + 2]).multiplyScalar(POSITION_STEP);
}

function readRotation(rows, cell, largest, out) {
  const a = rows[cell] * ROTATION_STEP;
  const b = rows[cell + 1] * ROTATION_STEP;
  const c = rows[cell + 2] * ROTATION_STEP;
  const d = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  if (largest === 0) out.set(d, a, b, c);
  else if (largest === 1) out.set(a, d, b, c);
  else if (largest === 2) out.set(a, b, d, c);
  else out.set(a, b, c, d);
}

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
