// The sound of a move: a short knock.
(() => {
    let context = null;

    window.playMoveSound = () => {
        context ??= new AudioContext();
        const now = context.currentTime;
        const oscillator = context.createOscillator();
        const volume = context.createGain();
        oscillator.type = 'triangle';
        oscillator.frequency.setValueAtTime(420, now);
        oscillator.frequency.exponentialRampToValueAtTime(160, now + 0.08);
        volume.gain.setValueAtTime(0.25, now);
        volume.gain.exponentialRampToValueAtTime(0.001, now + 0.1);
        oscillator.connect(volume).connect(context.destination);
        oscillator.start(now);
        oscillator.stop(now + 0.1);
    };
})();
