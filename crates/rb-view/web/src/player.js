// The clock: which frame is to be shown now.

export class Player {
  constructor(times) {
    this.times = times;
    this.frame = 0;
    this.speed = 1;
    this.playing = false;
    this.clock = 0;
  }

  get last() {
    return this.times.length - 1;
  }

  /** Goes to the nearest frame there is and stays there. */
  seek(frame) {
    this.frame = Math.min(Math.max(Math.round(frame) || 0, 0), Math.max(this.last, 0));
    this.clock = this.times[this.frame] ?? 0;
  }

  step(frames) {
    this.playing = false;
    this.seek(this.frame + frames);
  }

  toggle() {
    if (!this.playing && this.frame >= this.last) this.seek(0);
    this.playing = !this.playing && this.last > 0;
  }

  /** Lets `seconds` of real time pass. */
  advance(seconds) {
    if (!this.playing) return;
    this.clock += seconds * this.speed;
    while (this.frame < this.last && this.times[this.frame + 1] <= this.clock) this.frame++;
    if (this.frame === this.last) this.playing = false;
  }
}
